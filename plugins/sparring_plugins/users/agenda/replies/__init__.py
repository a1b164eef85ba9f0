"""Reading an app's reply: its questions, the options it names, what it reads back."""
