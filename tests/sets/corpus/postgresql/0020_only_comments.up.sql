-- Nothing to do any more; see 20.
/* nothing */
;;
