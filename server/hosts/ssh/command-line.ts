/**
 * What is asked of every login shell, the same for every command: they differ in how they read words, and this is read
 * alike by all of them (sh, bash, csh, fish, zsh …). What is to be done follows on standard input: its length in bytes, a
 * line break, a script for `/bin/sh`, and then what that reads. `dd` takes one byte at a time, so it takes none of those.
 */
export const COMMAND_LINE = `exec /bin/sh -c 'IFS= read -r n; s=$(dd bs=1 count="$n" 2>/dev/null); eval "$s"'`

/** Longer scripts that are all of the input are not taken byte by byte. */
const QUICK = 2048

/**
 * The input for {@link COMMAND_LINE}. The script stands in braces: when the connection breaks in the midst of it, what has
 * arrived is no command, and nothing of it is done. `more`: whether input for the script follows.
 */
export function framed(script: string, more: boolean): Buffer {
  const whole = `{ ${script}\n}`
  if (more || whole.length < QUICK) return Buffer.from(`${Buffer.byteLength(whole)}\n${whole}`)
  const first = '{ eval "$(cat)"; }'
  return Buffer.from(`${first.length}\n${first}${whole}`)
}

/** One word of `/bin/sh`, whatever is in it but NUL. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** For programs as for questions: sentences in English, no terminal, no pager, and the programs of administrators. */
export const ENVIRONMENT =
  'LC_ALL=C TERM=dumb PAGER=cat PATH="${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin"; ' +
  'export LC_ALL TERM PAGER PATH; unset CDPATH ENV BASH_ENV LANGUAGE'
