"""A chatbot that is talked to by lines: it counts, greets when asked to, and leaves at "bye"."""

import sys

if "--greet" in sys.argv:
    print("Welcome!", flush=True)
for number, line in enumerate(sys.stdin, 1):
    said = line.strip()
    if said == "bye":
        break
    if said == "crash":
        sys.exit(3)
    if said == "hang":
        sys.stdin.read()
    print(f"{number}: you said {said[:200]}", flush=True)
    if "--mark" in sys.argv:
        print("and that is all", ".", sep="\n", flush=True)
