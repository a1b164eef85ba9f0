"""What the user does next: answers, menus, another attempt, leaving."""
