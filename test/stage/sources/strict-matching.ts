import { expect } from 'vitest'

// To `toMatchObject`, a bare regular expression is an object without properties, which everything matches: such a test could
// not fail. With this it never matches; `expect.stringMatching` is what is meant.
expect.addEqualityTesters([(a, b) => (b instanceof RegExp && !(a instanceof RegExp) ? false : undefined)])
