// Loaded into a replica before everything else: its clock goes ahead or behind by what CLOCK_AHEAD (milliseconds) and the
// test's messages say.
const Real = globalThis.Date
let ahead = Number(process.env.CLOCK_AHEAD ?? 0)
const now = () => Math.round(Real.now() + ahead)
globalThis.Date = new Proxy(Real, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  apply: () => new Real(now()).toString(),
  get: (target, key, self) => (key === 'now' ? now : Reflect.get(target, key, self)),
})
process.on('message', ({ clock }) => {
  ahead = clock
})
// It must not keep the process, which ends by itself.
process.channel?.unref()
