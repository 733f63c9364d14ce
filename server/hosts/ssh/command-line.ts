/** What stands on the channel's input, and the line that takes it from there. */
export interface Asked {
  /**
   * The same for every script: login shells differ in how they read words, and these are read alike by all of them (sh,
   * bash, csh, fish, zsh …).
   */
  readonly line: string
  readonly opening: Buffer
}

/**
 * A script for `/bin/sh`. Alone, it is read by that itself. When input for it follows (`more`), its length stands before it
 * and `dd` takes one byte at a time, so it takes none of those: slower by milliseconds. Either way the script stands in
 * braces: when the connection breaks in the midst of it, what has arrived is no command, and nothing of it is done.
 */
export function asked(script: string, more: boolean): Asked {
  const whole = `{ ${script}\n}`
  if (!more) return { line: 'exec /bin/sh -s', opening: Buffer.from(`${whole}\n`) }
  return { line: WITH_INPUT, opening: Buffer.from(`${Buffer.byteLength(whole)}\n${whole}`) }
}

const WITH_INPUT = `exec /bin/sh -c 'IFS= read -r n; s=$(dd bs=1 count="$n" 2>/dev/null); eval "$s"'`

/** One word of `/bin/sh`, whatever is in it but NUL. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** For programs as for questions: sentences in English, no terminal, no pager, and the programs of administrators. */
export const ENVIRONMENT =
  'LC_ALL=C TERM=dumb PAGER=cat PATH="${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin"; ' +
  'export LC_ALL TERM PAGER PATH; unset CDPATH ENV BASH_ENV LANGUAGE'
