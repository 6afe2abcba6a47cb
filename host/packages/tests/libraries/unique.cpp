// g++ makes a GNU_UNIQUE symbol of a visible inline variable, which keeps a library mapped.
struct __attribute__((visibility("default"))) Unique {
  static inline int value = 1;
};

extern "C" int* kept_value();
int* kept_value() {
  return &Unique::value;
}
