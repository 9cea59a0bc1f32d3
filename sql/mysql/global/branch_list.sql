-- branch_list: what is prepared on this server: format, the lengths of the name's two parts, name. MySQL wants the
-- privilege XA_RECOVER_ADMIN.
XA RECOVER
