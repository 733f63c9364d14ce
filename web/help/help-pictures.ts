/** Pictures that the guide shows, in both themes. Listed, so that the build carries no others. */
const addresses = import.meta.glob<string>(
  '../../docs/screenshots/{answer,approval,approvals,commands,command-editor,dashboard,files,keyboard-map,module,module-review,module-settings,modules,palette,question,search,table,table-chart,tool-list}-{light,dark}.png',
  { query: '?url', import: 'default', eager: true },
)

/** Addresses of a picture by its name (`answer`), or null where there is none. */
export function helpPicture(name: string): { readonly light: string; readonly dark: string } | null {
  const light = addresses[`../../docs/screenshots/${name}-light.png`]
  const dark = addresses[`../../docs/screenshots/${name}-dark.png`]
  return light === undefined || dark === undefined ? null : { light, dark }
}
