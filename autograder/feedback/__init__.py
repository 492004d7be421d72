"""What a student reads: one page that needs no network, no script and no other file."""

from autograder.feedback.page import student_page

__all__ = ["student_page"]
