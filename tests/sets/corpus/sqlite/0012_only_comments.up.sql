-- Nothing to do any more; see 11.
/* nothing */
;;
