"""The one tree of migrations for both engines, run by `kb.store.schema`."""
