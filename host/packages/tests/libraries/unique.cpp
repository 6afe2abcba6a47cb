// Of an inline variable that others see g++ makes a GNU_UNIQUE symbol, which keeps a library
// mapped.
struct __attribute__((visibility("default"))) Kept {
  static inline int value = 1;
};

extern "C" int* kept_value();
int* kept_value() {
  return &Kept::value;
}
