"""What happens in a watched repository: its policy, its events, and the commands that people write to the bot.

All of it is somebody else's text. It is read here and means nothing until `ingest` has decided what to do.
"""
