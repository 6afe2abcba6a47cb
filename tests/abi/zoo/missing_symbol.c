/* A library with facts and without an entry. */
int nothing_is_exported;
