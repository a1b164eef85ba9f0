#!/bin/sh
# For every other CI server: copy this file, and let a job run it.
#
#   sparring-ci.sh            play the suite, and write the reports; its exit code is the run's
#   sparring-ci.sh 2/4        play the second of four parts, for as many jobs side by side
#   sparring-ci.sh merge      join the parts, and write the reports; its exit code is the run's
#
# SUITE       the suite, a file or a folder (tests/suite.yaml)
# REPORTS     the folder for junit.xml and report.html (sparring-reports): keep it, and show the JUnit file
# SHARDS      the folder for the parts (shards): hand it from the jobs that play to the one that merges
# ARGUMENTS   further arguments of `sparring run`, such as --budget minutes=20 --budget cost=2
# INSTALL     what pip installs (sparring); nothing if it is empty
#
# Keep the folder .cache between jobs: it has what pip downloaded, and what models answered (`llm: {cache: true}`).
# Keys of models come from the environment, as the suite names them: `api_key: ${OPENAI_API_KEY}`.
set -eu

suite=${SUITE:-tests/suite.yaml}
reports=${REPORTS:-sparring-reports}
shards=${SHARDS:-shards}
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$PWD/.cache}"

if [ -n "${INSTALL-sparring}" ]; then
    python3 -m pip install --quiet "${INSTALL-sparring}"
fi
mkdir -p "$reports"

# Several arguments are several words here.
case "${1:-}" in
    "")
        sparring run "$suite" ${ARGUMENTS:-} -o "$reports/junit.xml" -o "$reports/report.html"
        ;;
    merge)
        sparring merge "$shards"/*/* --suite "$suite" -o "$reports/junit.xml" -o "$reports/report.html"
        ;;
    */*)
        # A part that was played is no failure of its job: the merge says whether the run is green.
        sparring run "$suite" ${ARGUMENTS:-} --shard "$1" --runs "$shards/${1%%/*}" --exit-zero
        ;;
    *)
        echo "expected nothing, K/N or merge, and not '$1'" >&2
        exit 2
        ;;
esac
