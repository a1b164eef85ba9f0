"""The typed tasks and answers of the roles that agents play: `sparring.Agent` is generic in them.

Roles of one method are in the module ``roles`` of its room (``web``, ``voice``, ``search``).
"""

from sparring.interfaces.roles import (
    Extraction,
    ExtractTask,
    Goal,
    GoalCheck,
    GoalTask,
    Judgement,
    JudgeTask,
    MetGoal,
    OutputSpec,
    Revision,
    UserMove,
    UserTask,
)

__all__ = [
    "ExtractTask",
    "Extraction",
    "Goal",
    "GoalCheck",
    "GoalTask",
    "JudgeTask",
    "Judgement",
    "MetGoal",
    "OutputSpec",
    "Revision",
    "UserMove",
    "UserTask",
]
