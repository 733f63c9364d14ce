import { say, type Sentence } from '../../../kernel/sentence.ts'

const LENGTH_LIMIT = 500

/** Why a setting's regular expression is refused, as the end of a sentence about it; null when it may be used. */
export function patternProblem(pattern: string): Sentence | null {
  if (pattern.length > LENGTH_LIMIT) return say`has more than ${LENGTH_LIMIT} characters`
  try {
    new RegExp(`^(?:${pattern})$`, 'u')
    new RegExp(pattern, 'u')
  } catch {
    return say`isn’t a valid regular expression (with the flag “u”)`
  }
  if (/\\(?:[1-9]|k<)/.test(pattern)) return say`refers back to a group, which can take very long`
  return repeatsRepetition(pattern)
    ? say`repeats a group that itself contains a repetition, which can take very long`
    : null
}

/**
 * Whether the expression, known to be valid, contains `(a+)+` or the like, for which backtracking takes exponential
 * time.
 */
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
