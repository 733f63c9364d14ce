/**
 * Starts machines and ends them when its standard input ends, however the test process ended.
 * Arguments: a folder, the root that all share, the bridge that their networks hang on, and their names. Says for each
 * machine "<name> <process whose child is its process 1>".
 */
export const MACHINES = `set -eu
folder=$1 shared=$2 bridge=$3 boot=$4; shift 4
mount --make-rprivate /
mkdir "$folder/cgroup"
mount -t cgroup2 cgroup "$folder/cgroup"
started=
for name; do
  group=$folder/cgroup/$bridge-$name
  mkdir -p "$group" "$folder/$name/upper" "$folder/$name/work" "$folder/$name/root"
  sh -euc 'echo 0 >"$1/cgroup.procs"; shift; exec "$@"' sh "$group" \\
    unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child=KILL sh -euc "$boot" sh "$folder/$name" "$shared" "$name" </dev/null >"$folder/$name/console" 2>&1 &
  started="$started $!"
  echo "$name $!"
done
read -r _ || :
for name; do echo 1 >"$folder/cgroup/$bridge-$name/cgroup.kill"; done
for process in $started; do wait "$process" 2>/dev/null || :; done
# A killed process leaves its group a moment later.
for name; do until find "$folder/cgroup/$bridge-$name" -depth -type d -exec rmdir {} + 2>/dev/null; do :; done; done
umount "$folder/cgroup"
ip link delete "$bridge"
rm -rf "$folder"
`

/** Becomes process 1 of a machine: its folder, the shared root below a layer of its own, its name. */
export const BOOT = `folder=$1 shared=$2 name=$3
mount -t overlay machine -o "lowerdir=$shared,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup sys/fs/cgroup
mount -t tmpfs run run
mount -t tmpfs -o mode=755 dev dev
for device in null zero full random urandom tty; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs shm dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
hostname "$name"
echo "$name" >etc/hostname
od -An -N16 -tx1 /dev/urandom | tr -d ' ' >etc/machine-id
mkdir -p srv/sources old
mount --bind "$PWD_OF_SOURCES" srv/sources
mount -o remount,bind,ro srv/sources
ip link set lo up
for kind in ed25519 ecdsa; do ssh-keygen -q -t "$kind" -N '' -C "root@$name" -f "etc/ssh/ssh_host_\${kind}_key"; done
pivot_root . old
umount -l old
rmdir old
exec env -i container=lxc TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
`
