"""The tests by each Python from 3.10 on that is here: ``nox``, or ``nox -s tests-3.12``.

The archives that they read are written by the program's own tests, which call this by
``./check.sh -t PythonPackageTest archive -Dnox``.
"""

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False


@nox.session(python=["3.10", "3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """Tests the package as it is installed."""
    session.install(".[lines,fsspec,s3,encrypted]", "pytest", "pandas", "duckdb")
    session.run("python", "-m", "pytest", *session.posargs)
