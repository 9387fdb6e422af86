/** `[x86-64, arm64]`; null where the architecture does not have the system call. */
const DENIED: Record<string, [number, number | null]> = {
  // Only the pipes that the process was started with remain.
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  sendto: [44, 206],
  sendmsg: [46, 211],
  sendmmsg: [307, 269],
  recvfrom: [45, 207],
  recvmsg: [47, 212],
  recvmmsg: [299, 243],
  fork: [57, null],
  vfork: [58, null],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // Memory that the data limit doesn't cover.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  shmat: [30, 196],
  msgget: [68, 186],
  semget: [64, 190],
  mq_open: [240, 180],
  // No decoder needs these, and they had many security bugs.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  fanotify_init: [300, 262],
  quotactl: [179, 60],
  syslog: [103, 116],
  personality: [135, 92],
  modify_ldt: [154, null],
  iopl: [172, null],
  ioperm: [173, null],
};

const ARCHITECTURES = {
  x64: { column: 0, audit: 0xc000003e, clone: 56 },
  arm64: { column: 1, audit: 0xc00000b7, clone: 220 },
} as const;
const CLONE3 = 435;
/** The x32 variants of x86-64's system calls. */
const X32_BIT = 0x40000000;
const CLONE_THREAD = 0x10000;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_BITS = 0x45;
const RETURN = 0x06;

/** In the kernel's `struct seccomp_data`. */
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const FIRST_ARGUMENT_OFFSET = 16;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const EPERM = 0x00050000 + 1;
const ENOSYS = 0x00050000 + 38;

/**
 * Refuses sockets, new processes, mounts and other system calls that decoders don't need. Returns an array of
 * `struct sock_filter`, little endian; undefined on other architectures. Threads and exec stay allowed,
 * because the filter is installed before exec.
 */
export function makeSeccompFilter(architecture: string = process.arch): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const { column, audit, clone } = ARCHITECTURES[architecture];
  const denied = Object.values(DENIED).flatMap((numbers) => numbers[column] ?? []);
  return Buffer.concat([
    statement(LOAD, ARCHITECTURE_OFFSET),
    jump(JUMP_EQUAL, audit, { ifTrue: 1, ifFalse: 0 }),
    statement(RETURN, KILL_PROCESS),
    statement(LOAD, NUMBER_OFFSET),
    ...(architecture === 'x64' ? refuse(JUMP_GREATER_EQUAL, X32_BIT, EPERM) : []),
    ...denied.flatMap((number) => refuse(JUMP_EQUAL, number, EPERM)),
    // Its flags are behind a pointer, which a filter can't follow. glibc falls back to clone.
    ...refuse(JUMP_EQUAL, CLONE3, ENOSYS),
    jump(JUMP_EQUAL, clone, { ifTrue: 0, ifFalse: 3 }),
    statement(LOAD, FIRST_ARGUMENT_OFFSET),
    jump(JUMP_BITS, CLONE_THREAD, { ifTrue: 1, ifFalse: 0 }),
    statement(RETURN, EPERM),
    statement(RETURN, ALLOW),
  ]);
}

function refuse(comparison: number, value: number, answer: number): Buffer[] {
  return [jump(comparison, value, { ifTrue: 0, ifFalse: 1 }), statement(RETURN, answer)];
}

function statement(code: number, value: number): Buffer {
  return jump(code, value, { ifTrue: 0, ifFalse: 0 });
}

/** Targets are relative to the next instruction. */
function jump(code: number, value: number, { ifTrue, ifFalse }: { ifTrue: number; ifFalse: number }): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
