"""A player of Leduc hold'em, by the lines of JSON of `lawspeaker play --json`.

    python3 examples/holdem.py target/release/lawspeaker [SEED]

It holds the first seat, `random` the second one. With a pair or a king it raises, with a queen it
calls, with a jack it folds if it must pay. It prints what it was told, and how the game ended.
"""

import json
import subprocess
import sys


def chosen(view, options):
    """The option to take, from what the seat sees."""
    card = view["piles"]["hand"]["First"]["members"][0]
    public = view["variables"]["public"]
    rank = card.partition("Of")[0]
    if rank == "King" or public is not None and public.startswith(rank):
        wanted = ["raise", "call"]
    elif rank == "Queen":
        wanted = ["call"]
    else:
        wanted = ["fold", "call"]
    return next(option for option in wanted if option in options)


def tell(happened):
    """Prints what happened since the last decision."""
    for ply in happened:
        print(f"{ply['ply']}. {ply['who'] or 'chance'}: {ply['said']}")


def main():
    program, seed = sys.argv[1], (sys.argv[2:] or ["1"])[0]
    command = [program, "play", "leduc-holdem", "--json", "--record", "/dev/null"]
    game = subprocess.Popen(
        command + ["--seats", "Second=random", "--seed", seed],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in game.stdout:
        message = json.loads(line)
        if "error" in message:
            sys.exit(f"{message['error']}: {message['help']}")
        if "decides" in message:
            tell(message["happened"])
            choice = chosen(message["view"], message["options"])
            game.stdin.write(json.dumps({"choice": choice}) + "\n")
            game.stdin.flush()
        if "over" in message:
            tell(message["happened"]["First"])
            print(message["over"])
    sys.exit(game.wait())


main()
