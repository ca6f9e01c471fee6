"""The row from files to findings, repeated under changed conditions."""
