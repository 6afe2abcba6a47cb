#!/bin/sh
# Runs a compiler command. First removes the precompiled header that the command rewrites: ccache would preprocess with the old
# one, and store the result under a key that does not contain its headers.
for word; do
  case $word in
    *.gch) rm -f "$word" ;;
  esac
done
exec "$@"
