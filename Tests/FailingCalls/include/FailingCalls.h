// Nothing to include: programs preload this library.
