/**
 * Why the tests of an optional program are skipped: `missing`, or null when it is there. `.ci/run` installs every such
 * program, so in CI (`CI=true`) a missing one is an error: nothing is skipped there that could have been installed.
 */
export function skipReason(missing: string | null): string | null {
  if (missing !== null && process.env.CI === 'true')
    throw new Error(`Tests would be skipped, but .ci/run installs what they need: ${missing}.`)
  return missing
}
