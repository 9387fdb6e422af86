/** The OpenStack Swift of one test, with all files under `folder` and all ports on loopback. */
export type SwiftSite = {
  folder: string;
  user: string;
  limits: SwiftLimits;
  ports: { proxy: number; account: number; container: number; object: number; memcached: number };
};

/** Limits that a test can lower or raise. */
export type SwiftLimits = {
  /** Minimum size of each part but the last. */
  minPartBytes?: number;
  /** Maximum number of entries in one response of a listing. */
  maxListed?: number;
};

/** As S3. Swift's default is 1,000. */
const MAX_PARTS = 10_000;
/** As S3. Minimum size of each part but the last. */
export const MIN_PART_BYTES = 5 * 1024 * 1024;
/** Maximum number of entries in a response of a listing. Low, so that every test of a listing pages (S3: 1,000). */
const MAX_LISTED = 3;
export const SWIFT_REGION = 'us-east-1';
export const SWIFT_ACCESS_KEY = 'test:tester';
export const SWIFT_SECRET_KEY = 'testing';

type StorageKind = 'account' | 'container' | 'object';
export const STORAGE_KINDS: StorageKind[] = ['account', 'container', 'object'];

export function writeSwiftConf(): string {
  return `[swift-hash]
swift_hash_path_suffix = sendwell
swift_hash_path_prefix = tests
[storage-policy:0]
name = only
default = yes
`;
}

/**
 * `workers = 0` runs each server in one process, so killing the spawned process is enough. Swift's default timeouts of
 * a second or less are raised: on a busy machine they would leave objects out of listings for good, since no updater
 * runs here.
 */
function writeDefaults(site: SwiftSite, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${site.user}
swift_dir = ${site.folder}
devices = ${site.folder}/devices
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
conn_timeout = 60
node_timeout = 60
container_update_timeout = 60
`;
}

export function writeStorageConf(site: SwiftSite, kind: StorageKind): string {
  return `${writeDefaults(site, site.ports[kind])}
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;
}

export function writeProxyConf(site: SwiftSite): string {
  return `${writeDefaults(site, site.ports.proxy)}
[pipeline:main]
pipeline = catch_errors healthcheck cache listing_formats s3api tempauth copy slo dlo symlink versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 60
node_timeout = 60
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${site.ports.memcached}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = ${SWIFT_REGION}
min_segment_size = ${site.limits.minPartBytes ?? MIN_PART_BYTES}
max_upload_part_num = ${MAX_PARTS}
max_bucket_listing = ${site.limits.maxListed ?? MAX_LISTED}
max_parts_listing = ${site.limits.maxListed ?? MAX_LISTED}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${SWIFT_SECRET_KEY} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
max_manifest_segments = ${MAX_PARTS}
[filter:dlo]
use = egg:swift#dlo
[filter:symlink]
use = egg:swift#symlink
[filter:versioned_writes]
use = egg:swift#versioned_writes
`;
}

/** A Python program that writes the three rings: 16 partitions, one replica, one device each. */
export function writeRingProgram(site: SwiftSite): string {
  const rings = STORAGE_KINDS.map((kind) => `('${kind}', ${site.ports[kind]})`).join(', ');
  return `from swift.common.ring import RingBuilder
for kind, port in [${rings}]:
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'd1',
                     'weight': 1, 'replication_ip': '127.0.0.1', 'replication_port': port})
    builder.rebalance()
    builder.get_ring().save('${site.folder}/%s.ring.gz' % kind)
`;
}
