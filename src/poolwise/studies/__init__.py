"""Evaluation repeated under changed conditions: each study returns a finding."""

from poolwise.late_names import late_names

__getattr__, __dir__ = late_names(__name__, __file__)
