"""Answers to an app's questions: of forms, confirmations, offers."""
