"""How often the answers are right: real reports with expected answers, scored through the whole pipeline."""
