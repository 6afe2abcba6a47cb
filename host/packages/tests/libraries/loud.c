/* Exports something beside the entry. */
__attribute__((visibility("default"))) extern int loud;
int loud = 1;
