/** What no bundle needs and some must not have: history, secrets, caches, what builds leave behind. */
const ALWAYS = words(`
  .git .gitignore .gitattributes .mcpbignore .DS_Store Thumbs.db .env* *.log .npm .npmrc .yarn .yarnrc
  .pnp.* .eslintrc .editorconfig .prettierrc .nycrc .babelrc node_modules/.cache node_modules/.bin
  node_modules/.package-lock.json package-lock.json yarn.lock *.mcpb *.dxt *.map *.d.ts *.d.mts
  *.d.cts *.tsbuildinfo tsconfig.json __pycache__ *.pyc
`)

interface Rule {
  readonly again: boolean
  readonly foldersOnly: boolean
  readonly expression: RegExp
}

/**
 * Whether a path stays out of a bundle, by the lines of `.mcpbignore`, which are written as in `.gitignore`. To be asked for every folder
 * before what is in it: what lies in a folder that stays out cannot come back.
 */
export function ignoreRules(text: string): (path: string, directory: boolean) => boolean {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const rules = [...ALWAYS, ...lines].map(ruleOf)
  return (path, directory) => {
    let out = false
    for (const { again, foldersOnly, expression } of rules)
      if ((directory || !foldersOnly) && expression.test(path)) out = !again
    return out
  }
}

function ruleOf(line: string): Rule {
  let pattern = line.trim()
  const again = pattern.startsWith('!')
  if (again) pattern = pattern.slice(1)
  const foldersOnly = pattern.endsWith('/')
  pattern = pattern.replace(/\/+$/, '')
  const anchored = pattern.includes('/') && !/^node_modules\/\.[a-z.-]+$/.test(pattern)
  pattern = pattern.replace(/^\//, '')
  const body = pattern
    .split('/')
    .map((part) => (part === '**' ? '**' : partExpression(part)))
    .join('/')
    .replaceAll('**/', '(?:[^/]+/)*')
    .replace(/\/\*\*$/, '/.+')
  return { again, foldersOnly, expression: new RegExp(`^${anchored ? '' : '(?:.*/)?'}${body}$`, 'su') }
}

function partExpression(part: string): string {
  return part.replace(/\\.|[*]+|\?|\[[^\]/]+\]|[\\^$.|+(){}[\]]/gsu, (sign) => {
    if (sign.startsWith('*')) return '[^/]*'
    if (sign === '?') return '[^/]'
    if (sign.startsWith('[') && sign.length > 2)
      return `[${sign
        .slice(1, -1)
        .replace(/^!/, '^')
        .replace(/[\\[\]&]/g, '\\$&')}]`
    return sign.startsWith('\\') && sign.length === 2 ? `\\u{${sign.codePointAt(1)!.toString(16)}}` : `\\${sign}`
  })
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
