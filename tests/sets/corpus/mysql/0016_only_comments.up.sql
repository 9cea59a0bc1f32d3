-- Nothing to do any more; see 15.
/* nothing */
# nothing
