"""The `lvqa` command: gathers what each package registers in the entry-point group `lvqa.commands`."""

import click

from lvqa_eval.errors import LvqaError
from lvqa_eval.extensions import Registry

COMMANDS = Registry("lvqa.commands", {})


class CommandGroup(click.Group):
    """A group whose members are found by entry point and imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all installed commands."""
        return COMMANDS.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command; None for an unknown name, which click then reports."""
        if cmd_name not in COMMANDS.names():
            return None
        command: click.Command = COMMANDS.get(cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; an error that the user can mend is shown as its message alone."""
        try:
            return super().invoke(ctx)
        except LvqaError as error:
            raise click.ClickException(str(error)) from error


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: lvqa build layered-vqa && lvqa run --model Qwen/Qwen3-VL-4B-Instruct",
)
@click.version_option(package_name="lvqa", prog_name="lvqa")
def main() -> None:
    """Evaluate vision-language models on what delivery costs: one scene, one question, sixteen deliveries."""
