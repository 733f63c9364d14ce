/** Bytes of a bundle: the default, and the highest value that can be set. */
export const MODULE_SIZE_LIMIT = 256 * 1024 * 1024
export const MODULE_SIZE_CEILING = 4 * 1024 ** 3

/** How many tools of a module are used. */
export const MODULE_TOOLS_LIMIT = 5000
