import ignore from 'ignore'

/** What no bundle needs and some must not contain: history, secrets, caches, build leftovers. */
const ALWAYS = `
  .git .gitignore .gitattributes .mcpbignore .DS_Store Thumbs.db .env* *.log .npm .npmrc .yarn .yarnrc
  .pnp.* .eslintrc .editorconfig .prettierrc .nycrc .babelrc **/node_modules/.cache **/node_modules/.bin
  **/node_modules/.package-lock.json package-lock.json yarn.lock *.mcpb *.dxt *.map *.d.ts *.d.mts
  *.d.cts *.tsbuildinfo tsconfig.json __pycache__ *.pyc
`

/**
 * Whether a path is left out of a bundle according to `.mcpbignore`, which uses the syntax of `.gitignore`. What is in
 * an excluded folder cannot be included again.
 */
export function ignoreRules(text: string): (path: string, directory: boolean) => boolean {
  const lines = text.split('\n').map((line) => line.trim())
  const rules = ignore({ ignorecase: false }).add(ALWAYS.trim().split(/\s+/)).add(lines)
  return (path, directory) => rules.ignores(directory ? `${path}/` : path)
}
