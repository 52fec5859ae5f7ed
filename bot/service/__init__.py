"""The bot at work: events come in, issues are read and answered, comments are kept true.

Every way in ends in `ingest`; from there on, rows of the store say what is to be done, so that a process that is
killed between any two steps loses nothing and repeats nothing.
"""
