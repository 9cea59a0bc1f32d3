-- nothing to do; on purpose
/* ; */ ;
;;
 ; -- '
