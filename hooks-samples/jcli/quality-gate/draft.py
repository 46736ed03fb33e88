# Left unfinished on purpose: the quality gate has something to complain about until the bracket is closed.
def greet(name):
    return "hello, {}".format(name
