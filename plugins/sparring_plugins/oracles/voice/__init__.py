"""What is wrong with a voice app: Elevate's five kinds of problems, for any tester's sessions."""
