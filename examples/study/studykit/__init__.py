"""What the three assistants share: words, answers, and being asked over HTTP or in this process."""
