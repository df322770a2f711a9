"""A check in a real kernel: it does not judge an old function when the cell that should have renewed it did not run."""

import re

import pytest
from jupyter_client.manager import start_new_kernel

SETUP = """import numpy as np
from pe_lib.teach.checks.exercise import exercise
@exercise("9.1", praise="And twice again is four times.")
def check_double(attempt):
    attempt.agrees("it doubles", lambda x: 2 * x, [(np.arange(3.0),)])"""
STUB = 'def double(x):\n    """Twice x, of shape (n,)."""\n    ...'
RIGHT = "def double(x):\n    return 2 * x"


@pytest.fixture(scope="module", params=["with ids", "without"])
def kernel(request):
    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=["--IPKernelApp.log_level=40"])
    client.names_cells = request.param == "with ids"
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture
def run(kernel):
    """run(cell, source): as a front end that names its cells, and as one that does not; what the cell's last line shows."""
    def run(cell, source):
        metadata = {"cellId": cell} if kernel.names_cells else {}
        content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": False}
        message = kernel.session.msg("execute_request", content, metadata=metadata)
        kernel.shell_channel.send(message)
        shown = ""
        while True:
            reply = kernel.get_iopub_msg(timeout=30)
            if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            if reply["msg_type"] == "execute_result":
                shown = reply["content"]["data"]["text/plain"]
            if reply["msg_type"] == "status" and reply["content"]["execution_state"] == "idle":
                return shown

    run("setup", SETUP)
    run("stub", STUB)
    assert check(run) == "not started yet."
    return run


def check(run):
    return run("check", "check_double(double)").removeprefix("Exercise 9.1: ")


@pytest.mark.parametrize("broken, error", [
    ("def double(x):\n    return 2 * (x", "SyntaxError: .*, line 2"),
    ("def double(x)\n    return 2 * x", "SyntaxError: .*, line 1"),
    ("def double(x):\nreturn 2 * x", "IndentationError: .*, line 2"),
    ("two = 2 / 0\ndef double(x):\n    return two * x", "ZeroDivisionError: division by zero"),
])
def test_a_cell_that_did_not_run_is_named_and_the_old_function_not_judged(run, broken, error):
    for before in (STUB, RIGHT):
        run("stub", before)
        run("stub", broken)
        assert re.match(rf"the cell that defines double did not run \({error}\)\. Python still has your earlier version", check(run))
    run("other", "print(")                                         # another cell that fails changes nothing
    run("stub", RIGHT)
    assert check(run) == "right. And twice again is four times."
    run("other", "print(")
    assert check(run) == "right. And twice again is four times."


def test_a_line_that_fails_below_the_function_is_no_matter(run):
    run("stub", "def double(x):\n    return 2 * x\ndouble('a', 'b')")
    assert check(run) == "right. And twice again is four times."


def test_a_lambda_and_another_function_are_judged_as_they_are(run):
    run("stub", "def double(x):\n    return 2 * (x")
    assert run("check", "check_double(lambda x: 2 * x)").endswith("four times.")
    run("more", "def twice(x):\n    return x + x")
    assert run("check", "check_double(twice)").endswith("four times.")


def test_a_word_misspelt_hides_the_name_and_the_cell_is_still_known(run, kernel):
    run("stub", "dfe double(x):\n    return 2 * x")
    assert ("did not run (SyntaxError" in check(run)) is kernel.names_cells
