"""`python -m xtable_audit.affected --source hudi:LOCATION`, the subcommand `affected` on its own."""

from xtable_audit.affected.command import main

if __name__ == "__main__":
    main()
