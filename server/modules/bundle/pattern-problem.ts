const LENGTH_LIMIT = 500

/** Why a regular expression of a setting is refused, as the end of a sentence; null when it may be used. */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > LENGTH_LIMIT) return `has more than ${LENGTH_LIMIT} characters`
  try {
    new RegExp(`^(?:${pattern})$`, 'u')
    new RegExp(pattern, 'u')
  } catch {
    return 'is no regular expression (with the flag “u”)'
  }
  if (/\\(?:[1-9]|k<)/.test(pattern)) return 'refers back to a group, which can take very long'
  return repeatsRepetition(pattern) ? 'repeats a group that repeats something itself, which can take very long' : null
}

/** `(a+)+` and the like, for which backtracking takes exponential time. The expression is known to be valid. */
function repeatsRepetition(pattern: string): boolean {
  const groups = [false]
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at]
    let repeating = false
    if (sign === '\\') at++
    else if (sign === '[') for (at++; pattern[at] !== ']'; at++) at += pattern[at] === '\\' ? 1 : 0
    else if (sign === '(') {
      groups.push(false)
      continue
    } else if (sign === ')') repeating = groups.pop() ?? false
    const repetition = /^(?:[*+]|\{\d+,\d*\}|\{\d{2,}\})/.exec(pattern.slice(at + 1, at + 40))
    if (repetition !== null) {
      if (repeating) return true
      at += repetition[0].length
    }
    if (repetition !== null || repeating) groups[groups.length - 1] = true
  }
  return false
}
