/* Exports something in addition to the entry. */
__attribute__((visibility("default"))) extern int loud;
int loud = 1;
