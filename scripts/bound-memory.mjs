/**
 * Settings that keep the service's memory from staying at its peak; docs/performance.md has the figures.
 * Each can be overridden in the environment that the service is started with.
 */
const ALLOCATOR = {
  // Otherwise glibc keeps what a thread once used, for each of up to eight arenas per core …
  MALLOC_ARENA_MAX: '2',
  // … and returns less and less, because its thresholds grow with the largest block ever freed. Bytes; glibc's own
  // initial value.
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * MiB. Otherwise V8 lets its young generation grow with the machine (107 MiB on one of 24 GiB; 31 with this) and keeps
 * its pages.
 */
const SEMI_SPACE = 16
const SEMI_SPACE_OPTION = /--max[-_]semi[-_]space[-_]size/

/** `{ env, flags }` for the service's Node, without overriding what `env` already sets. */
export function boundMemory(env) {
  return {
    env: { ...ALLOCATOR, ...env },
    // A flag would override NODE_OPTIONS.
    flags: SEMI_SPACE_OPTION.test(env.NODE_OPTIONS ?? '') ? [] : [`--max-semi-space-size=${SEMI_SPACE}`],
  }
}
