/** What only a shell understands, or takes out of a word: a text with any of it is not split here. */
const SHELL = /[\\`$|&;<>(){}[\]*?~#!\n\r]/

/**
 * The program and its arguments of a whole command line such as `tail -n 3 "a b.log"`: words at the spaces, quotes taken
 * off. Null when it has anything that only a shell could read, or a quote that is never closed.
 */
export function commandWords(line: string): [string, ...string[]] | null {
  if (SHELL.test(line)) return null
  const words: string[] = []
  let rest = line.trim()
  while (rest !== '') {
    const word = /^(?:[^\s"']|"[^"]*"|'[^']*')+(?=\s|$)/.exec(rest)?.[0]
    if (word === undefined) return null
    words.push(word.replace(/"([^"]*)"|'([^']*)'/g, (_all, double?: string, single?: string) => double ?? single ?? ''))
    rest = rest.slice(word.length).trimStart()
  }
  const [program = '', ...args] = words
  return program === '' ? null : [program, ...args]
}
