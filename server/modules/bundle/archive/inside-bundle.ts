/**
 * Whether a path of a manifest, its variables not filled in, is inside the bundle whatever the settings are:
 * `${__dirname}/…` without `..`.
 */
export function onlyInBundle(path: string): boolean {
  if (!path.startsWith('${__dirname}')) return false
  const rest = path.slice('${__dirname}'.length).replaceAll('${/}', '/').replaceAll('${pathSeparator}', '/')
  return (rest === '' || rest.startsWith('/')) && !/[\0\\]|\$\{/.test(rest) && !rest.split('/').includes('..')
}
