import {
  type Condition,
  type RuleSpec,
  type Token,
  type ValueTest,
  isConditional,
} from '../../../../contract/rule-conditions.ts'
import { RULE_LIMITS } from '../../../../contract/rule-limits.ts'
import type { Effect } from '../../../../contract/route.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { isTooDeep, JSON_DEPTH } from '../../../kernel/text/json-depth.ts'
import { isOperands, type Argv } from './argv.ts'
import { isHostPattern } from './host.ts'
import { pointersOf } from './judge-spec.ts'
import { isExact } from './number.ts'
import { readPath } from './path-under.ts'
import { POINTER_STEPS, readPointer } from './pointer.ts'
import { isOdd } from './text.ts'

/** What a rule is about, as far as conditions depend on it. */
export type About = 'permission' | 'host' | 'module' | 'tool'

/** Programs that run others, or scripts, from their own words: no word behind them may be left open. */
const RUNNERS = new Set(
  (
    'sh bash dash zsh ksh csh tcsh fish ash busybox toybox env xargs sudo doas su ssh scp sftp rsync nohup nice ionice ' +
    'setsid timeout time watch strace ltrace gdb parallel chroot unshare nsenter runuser systemd-run script expect find ' +
    'fd awk gawk mawk nawk sed perl python pypy ruby node deno bun php lua tclsh java git hg svn tar zip 7z cpio make ' +
    'cmake ninja vi vim nvim emacs nano ed ex less more man docker podman kubectl crontab at batch cmd powershell pwsh ' +
    'wscript cscript npm npx yarn pnpm pip gcc cc cargo go mysql psql sqlite3 tcpdump wget curl socat nc ncat netcat'
  ).split(' '),
)

/** Why a rule cannot be saved, and where: a path within it that begins with a point, or nothing for all of it. */
interface SpecProblem {
  readonly path: string
  readonly why: Sentence
}

/**
 * Why a rule cannot be saved, beside its shape; null when it can. What it says of the tool is not checked here.
 */
export function specProblem(spec: RuleSpec, effect: Effect, about: About): SpecProblem | null {
  const whole = wholeProblem(spec, effect, about)
  if (whole !== null || !isConditional(spec)) return whole
  const when = (spec.when ?? []).map((condition, i) => ({ condition, path: `.when.${i}`, milder: effect === 'allow' }))
  const unless = (spec.unless ?? []).flatMap((group, g) =>
    group.map((condition, i) => ({ condition, path: `.unless.${g}.${i}`, milder: true })),
  )
  const all = [...when, ...unless]
  if (all.length > RULE_LIMITS.conditions)
    return at('', say`A rule may have at most ${RULE_LIMITS.conditions} conditions.`)
  const pointers = [
    ...all.flatMap(({ condition, path }) => pointersOf([condition]).map((pointer) => ({ pointer, path }))),
    ...(spec.free ?? []).map((pointer, i) => ({ pointer, path: `.free.${i}` })),
  ]
  const wrong = pointers.find(({ pointer }) => readPointer(pointer) === null)
  if (wrong !== undefined)
    return at(wrong.path, say`“${wrong.pointer}” is not a JSON pointer of at most ${POINTER_STEPS} steps.`)
  for (const { condition, path, milder } of all) {
    // Where a condition that is true makes the rule milder, nothing may be left open behind a program that runs others.
    const why = conditionProblem(condition) ?? (milder && 'argv' in condition ? runnerProblem(condition) : null)
    if (why !== null) return at(path, why)
  }
  return null
}

function wholeProblem(spec: RuleSpec, effect: Effect, about: About): SpecProblem | null {
  if (isTooDeep(spec)) return at('.examples', say`An example is nested too deep: at most ${JSON_DEPTH} levels.`)
  if (JSON.stringify(spec).length > RULE_LIMITS.characters)
    return at('', say`A rule may have at most ${RULE_LIMITS.characters} characters.`)
  if (spec.note !== undefined && isOdd(spec.note)) return at('.note', textProblem(spec.note)!)
  if (spec.every_time && (effect !== 'ask' || about === 'permission'))
    return at('.every_time', say`“every_time” is for rules that ask before tools are used.`)
  if (spec.even_untrusted && (effect !== 'allow' || about === 'permission' || about === 'host'))
    return at('.even_untrusted', say`“even_untrusted” is for rules that allow tools.`)
  if (spec.approvers !== undefined && (effect !== 'ask' || about === 'permission'))
    return at('.approvers', say`Only a rule that asks about tools says who decides.`)
  if (!isConditional(spec))
    return spec.examples === undefined ? null : at('.examples', say`Only a rule with conditions has examples.`)
  if (about === 'permission') return at('', say`A permission has no arguments, so its rule has no conditions.`)
  if (about === 'host') return at('', say`A rule about a machine looks at no arguments.`)
  if (about === 'module' && (effect === 'allow' || spec.examples !== undefined))
    return at('', say`A rule with conditions that allows, or has examples, is about one tool.`)
  if (effect === 'allow' && spec.unless !== undefined)
    return at('.unless', say`“unless” is for rules that ask or deny.`)
  if (effect !== 'allow' && spec.free !== undefined) return at('.free', say`“free” is for rules that allow.`)
  if (effect === 'allow' && (!spec.examples?.match.length || !spec.examples.no_match.length))
    return at('.examples', say`A rule with conditions that allows needs an example that matches and one that does not.`)
  return null
}

function at(path: string, why: Sentence): SpecProblem {
  return { path, why }
}

function conditionProblem(condition: Condition): Sentence | null {
  if ('argv' in condition) return argvProblem(condition)
  if ('absent' in condition) return null
  return testProblem('each' in condition ? condition.each : condition)
}

function testProblem(test: ValueTest): Sentence | null {
  if ('is' in test) return plainProblem(test.is)
  if ('in' in test) return first(test.in.map(plainProblem))
  if ('under' in test) return first(test.under.map(folderProblem))
  if ('host' in test)
    return first(
      test.host.map((host) => (isHostPattern(host) ? null : say`“${host}” is not a host name in lower case.`)),
    )
  if (test.min === undefined && test.max === undefined) return say`A range needs an end.`
  return first([test.min, test.max].map((end) => (end === undefined ? null : plainProblem(end))))
}

function plainProblem(value: string | number | boolean | null): Sentence | null {
  if (typeof value === 'number' && !isExact(value)) return say`${value} is too large to be told from its neighbours.`
  return typeof value === 'string' ? textProblem(value) : null
}

function textProblem(text: string): Sentence | null {
  return isOdd(text) ? say`“${text}” has characters that nobody sees.` : null
}

function folderProblem(path: string): Sentence | null {
  return readPath(path) === null ? say`“${path}” is not an absolute path without “.”, “..” and empty parts.` : null
}

function argvProblem({ tokens }: Argv): Sentence | null {
  const [program] = tokens
  if (typeof program !== 'string' && !(program !== undefined && 'in' in program))
    return say`The program of a command must be named.`
  if (tokens.slice(0, -1).some(isOperands)) return say`“operands” can only be the last word of a command.`
  return first(tokens.map(tokenProblem))
}

function tokenProblem(token: Token): Sentence | null {
  if (typeof token === 'string') return textProblem(token)
  if ('in' in token) return first(token.in.map(textProblem))
  return 'under' in token ? first(token.under.map(folderProblem)) : null
}

function runnerProblem({ tokens }: Argv): Sentence | null {
  const open = tokens.some((token) => typeof token === 'object' && ('any' in token || 'operands' in token))
  if (!open) return null
  const [program] = tokens
  const programs = typeof program === 'string' ? [program] : program !== undefined && 'in' in program ? program.in : []
  const runner = programs.find((path) => RUNNERS.has(baseName(path)))
  return runner === undefined
    ? null
    : say`Every word behind ${runner} must be given, because it can run other programs.`
}

/** `/usr/bin/Python3.13.exe` as `python`. */
function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase()
  const plain = name.endsWith('.exe') ? name.slice(0, -4) : name
  let end = plain.length
  while (end > 0 && '0123456789.-'.includes(plain[end - 1]!)) end--
  // `7z` begins with a digit and ends with a letter; a name of digits alone stays.
  return RUNNERS.has(plain) || end === 0 ? plain : plain.slice(0, end)
}

function first(problems: readonly (Sentence | null)[]): Sentence | null {
  return problems.find((problem) => problem !== null) ?? null
}
