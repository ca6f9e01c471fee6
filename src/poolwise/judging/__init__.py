"""What to judge next: candidates, orders of judging, and lists to judge."""

from poolwise.late_names import late_names

__getattr__, __dir__ = late_names(__name__, __file__)
