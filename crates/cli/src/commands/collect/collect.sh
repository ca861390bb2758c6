#!/bin/sh
# Gathers in a folder what innosim needs to know of a MySQL (5.7 and later), Percona or MariaDB (10.2 and later) server:
# settings, counters over time, no row of any table, no text of any statement, no name of a table or user.
#
# It only reads: SELECT and SHOW statements, and files in /proc. It needs the client `mysql` or `mariadb`, coreutils, and a
# user with the privilege PROCESS (without it: most counters, but no INNODB STATUS and no INNODB_METRICS).
#
# Usage: sh collect.sh [-o FOLDER] [-d SECONDS] [-i SECONDS] [-b] [--] [OPTION OF THE CLIENT]...
#
#   -o   folder for the files, which must be new or empty (default innosim-collected)
#   -d   how long (default @DURATION@)
#   -i   from sample to sample (default @INTERVAL@)
#   -b   also the ages of the pages in the buffer pool, once at the end. This reads INNODB_BUFFER_PAGE, which walks over
#        every page and can slow the server down for seconds: on a replica, rather, or in a quiet hour
#
# Options after -- go to the client: sh collect.sh -- --defaults-extra-file=my.cnf, or --socket=... --user=... . A password
# belongs into an option file. MYSQL=PROGRAM names another client. Run it on the server's own machine: then processors and
# disk are sampled too. Ctrl-C ends it early; what is there by then can be read.
#
# Then: innosim explain FOLDER, innosim replay FOLDER; docs/collect.md says more.

set -u
LC_ALL=C
export LC_ALL

fail() {
    printf 'collect: %s\n' "$*" >&2
    exit 2
}

out=innosim-collected
duration=@DURATION@
interval=@INTERVAL@
buffer_pages=no
while [ $# -gt 0 ]; do
    case $1 in
        -b) buffer_pages=yes ;;
        -o | -d | -i)
            [ $# -ge 2 ] || fail "$1 needs a value"
            case $1 in
                -o) out=$2 ;;
                -d) duration=$2 ;;
                -i) interval=$2 ;;
            esac
            shift
            ;;
        --)
            shift
            break
            ;;
        -h)
            while IFS= read -r line; do
                case $line in
                    '#!'*) ;;
                    '#'*) printf '%s\n' "${line#\#}" ;;
                    *) break ;;
                esac
            done <"$0"
            exit 0
            ;;
        *) fail "option $1 is not known; options of the client come after --" ;;
    esac
    shift
done

whole_number() {
    case $2 in
        '' | *[!0-9]* | 0* | ????????*) fail "$1 is '$2'; give whole seconds from 1 up" ;;
    esac
}
whole_number -d "$duration"
whole_number -i "$interval"
[ "$interval" -le "$duration" ] || fail "-i $interval is longer than -d $duration"

client=${MYSQL:-}
for program in mariadb mysql; do
    [ -n "$client" ] || client=$(command -v "$program") || client=
done
[ -n "$client" ] || fail "neither mariadb nor mysql is on the path; name the client: MYSQL=/path/to/mysql sh collect.sh"
command -v "$client" >/dev/null || fail "there is no program $client"

# Statements on a connection of their own; rows without heads. After them come the client's options, which are the
# script's arguments from here on.
ask() {
    statement=$1
    shift
    "$client" "$@" --batch --raw --skip-column-names --execute="$statement"
}

version=$(ask 'SELECT VERSION()' "$@") || fail "the server does not answer; try: $client $*"
case $version in
    '' | *[!0-9A-Za-z.~+_:-]*) fail "SELECT VERSION() gave '$version'" ;;
esac

if [ -e "$out" ]; then
    [ -d "$out" ] || fail "$out is there and is no folder; name another with -o"
    for file in "$out"/* "$out"/.[!.]*; do
        [ ! -e "$file" ] || fail "$out is not empty; name another folder with -o"
    done
fi
mkdir -p "$out" || fail "can't make the folder $out"
samples=$out/samples.txt
errors=$out/errors.txt

note() {
    printf '%s\n' "$*" >>"$out/collected.txt"
}
note "collected by innosim collect, $(date '+%Y-%m-%d %H:%M:%S %z')"
note "server: $version; every $interval s for $duration s"

# Settings, without those that may hold secrets or names.
ask "SELECT 'Variable_name', 'Value';
SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'innodb%' OR Variable_name LIKE 'version%'
OR Variable_name LIKE 'binlog%' OR Variable_name LIKE 'thread%' OR Variable_name IN ('sync_binlog', 'log_bin',
'max_connections', 'performance_schema', 'transaction_isolation', 'tx_isolation', 'autocommit', 'gtid_mode',
'log_slave_updates', 'log_replica_updates', 'read_only', 'super_read_only', 'flush', 'aria_pagecache_buffer_size')" \
    "$@" >"$out/variables.txt" 2>>"$errors" || fail "SHOW GLOBAL VARIABLES failed; see $errors"

# Pages of all tables together, from InnoDB's statistics.
ask "SELECT 'Data_length:', SUM(clustered_index_size) * @@innodb_page_size FROM mysql.innodb_table_stats;
SELECT 'Index_length:', SUM(sum_of_other_index_sizes) * @@innodb_page_size FROM mysql.innodb_table_stats" \
    "$@" >"$out/tables.txt" 2>>"$errors" || note "not there: size of the tables (SELECT on mysql.innodb_table_stats is not granted)"

# What is allowed and known.
status="SELECT 'Variable_name', 'Value';
SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Innodb%' OR Variable_name LIKE 'Handler%'
OR Variable_name LIKE 'Threads%' OR Variable_name LIKE 'Binlog%' OR Variable_name IN ('Uptime', 'Questions', 'Queries',
'Com_begin', 'Com_commit', 'Com_rollback', 'Com_select', 'Com_insert', 'Com_insert_select', 'Com_update',
'Com_update_multi', 'Com_delete', 'Com_delete_multi', 'Com_replace', 'Com_replace_select', 'Com_load',
'Connections', 'Aborted_connects')"
metrics=
for enabled in "status = 'enabled'" 'enabled = 1'; do
    try="SELECT 'NAME', 'COUNT'; SELECT NAME, COUNT FROM information_schema.INNODB_METRICS WHERE $enabled"
    [ -z "$metrics" ] && ask "$try" "$@" >/dev/null 2>&1 && metrics=$try
done
[ -n "$metrics" ] || note "not there: INNODB_METRICS (it needs the privilege PROCESS)"
monitor=no
ask 'SHOW ENGINE INNODB STATUS' "$@" >/dev/null 2>&1 && monitor=yes
[ $monitor = yes ] || note "not there: SHOW ENGINE INNODB STATUS (it needs the privilege PROCESS)"
# Servers that show their log sequence number in the status need the longer text only now and then.
monitor_every=6
case $(ask "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_lsn_current', 'Innodb_redo_log_current_lsn')" "$@" 2>/dev/null) in
    '') monitor_every=1 ;;
esac

# Caps of the control groups that the server's process is in. These files have a size of 0, whatever they hold.
cgroups=${CGROUPS:-/sys/fs/cgroup}
server_caps() {
    pid_file=$(ask 'SELECT @@pid_file' "$@" 2>/dev/null) || pid_file=
    case $pid_file in
        '' | /*) ;;
        *) pid_file=$folder/$pid_file ;;
    esac
    pid=
    [ ! -r "$pid_file" ] || read -r pid <"$pid_file"
    for process in /proc/[0-9]*; do
        [ -n "$pid" ] && [ -d "/proc/$pid" ] && break
        case $(cat "$process/comm" 2>/dev/null) in
            mysqld | mariadbd) pid=${process#/proc/} ;;
        esac
    done
    [ -r "/proc/$pid/cgroup" ] || return 0
    while IFS=: read -r _ controllers path; do
        for cap in "$cgroups/${controllers%%,*}$path"/blkio.throttle.*_device "$cgroups$path"/io.max "$cgroups$path"/cpu.max; do
            [ ! -r "$cap" ] || while IFS= read -r line; do
                printf 'cap %s: %s\n' "${cap##*/}" "$line"
            done <"$cap"
        done
    done <"/proc/$pid/cgroup"
}

# Processors and disk, if this is the server's machine.
here=no
disk=
where=$(ask 'SELECT @@hostname' "$@" 2>/dev/null) || where=
folder=$(ask 'SELECT @@datadir' "$@" 2>/dev/null) || folder=
if [ -n "$where" ] && [ "$where" = "$(uname -n)" ] && [ -d "$folder" ] && [ -r /proc/stat ]; then
    here=yes
    printf 'CPU(s): %s\n' "$(nproc)" >"$out/host.txt"
    device=$(df -P "$folder" 2>/dev/null | tail -n 1 | cut -d ' ' -f 1) || device=
    device=$(readlink -f "$device" 2>/dev/null) || device=
    disk=${device##*/}
    case $disk in
        '' | *[!A-Za-z0-9_.-]*) disk= ;;
    esac
    # What the device says of itself, how it is mounted, and what the control group may do: a server flushes neighbours on a
    # disk that says it rotates, as virtual disks do unless somebody changed that.
    queue=
    for place in "/sys/class/block/$disk/queue" "/sys/class/block/$disk/../queue"; do
        [ -z "$queue" ] && [ -n "$disk" ] && [ -r "$place/rotational" ] && queue=$place
    done
    if [ -n "$queue" ]; then
        printf 'rotational: %s\n' "$(cat "$queue/rotational")" >>"$out/host.txt"
        [ ! -r "$queue/scheduler" ] || printf 'scheduler: %s\n' "$(cat "$queue/scheduler")" >>"$out/host.txt"
    fi
    mount_point=$(df -P "$folder" 2>/dev/null | tail -n 1 | while read -r _ _ _ _ _ point; do printf '%s' "$point"; done)
    while read -r _ point type options _; do
        [ "$point" = "$mount_point" ] && printf 'file system: %s\nmount options: %s\n' "$type" "$options"
    done </proc/mounts >>"$out/host.txt"
    server_caps "$@" >>"$out/host.txt"
    [ -n "$disk" ] || note "not there: disk (the device below the data directory is not known)"
else
    note "not there: processors and disk (this is not the server's machine)"
fi

# Columns of the processors and of the disk below the data directory, as /proc has them.
machine() {
    [ $here = yes ] || return 0
    if [ -n "$disk" ] && [ -r /proc/diskstats ]; then
        while read -r _ _ name reads _ read_sectors _ writes _ written_sectors _ _ io_ms weighted_ms _; do
            [ "$name" = "$disk" ] || continue
            printf 'COLUMN\tVALUE\ndisk.rd_ios\t%s\ndisk.rd_sectors\t%s\n' "$reads" "$read_sectors"
            printf 'disk.wr_ios\t%s\ndisk.wr_sectors\t%s\n' "$writes" "$written_sectors"
            printf 'disk.io_ms\t%s\ndisk.weighted_ms\t%s\n' "$io_ms" "$weighted_ms"
        done </proc/diskstats
    fi
    while IFS= read -r line; do
        case $line in
            cpu*) printf '%s\n' "$line" ;;
            *) break ;;
        esac
    done </proc/stat
}

# Of SHOW ENGINE INNODB STATUS the lines that are counters: the rest holds statements and rows.
counters_alone() {
    while IFS= read -r line; do
        case $line in
            *'INNODB MONITOR OUTPUT' | LOG | 'BUFFER POOL AND MEMORY' | 'INDIVIDUAL BUFFER POOL INFO' | TRANSACTIONS | \
                'ROW OPERATIONS' | 'FILE I/O') ;;
            'Log sequence number '* | 'Log buffer assigned up to '* | 'Log buffer completed up to '* | \
                'Log written up to '* | 'Log flushed up to '* | 'Added dirty pages up to '* | 'Pages flushed up to '* | \
                'Last checkpoint at '* | 'Buffer pool size '* | 'Free buffers '* | 'Database pages '* | \
                'Modified db pages '* | 'Pages read '* | 'History list length '*)
                # Words and numbers, and nothing else.
                case $line in
                    *[!A-Za-z0-9\ ,.]*) continue ;;
                esac
                ;;
            *) continue ;;
        esac
        printf '%s\n' "$line"
    done
}

stamp() {
    now=$(date +%s.%N)
    case $now in
        # A date without fractions.
        *[!0-9.]*) now=$(date +%s) ;;
    esac
}

stop=no
trap 'stop=yes' INT TERM
begun=$(date +%s)
taken=0
missed=0
n=0
while [ $stop = no ] && [ $((n * interval)) -le "$duration" ]; do
    left=$((begun + n * interval - $(date +%s)))
    if [ $left -gt 0 ]; then
        sleep $left
    fi
    [ $stop = no ] || break
    stamp
    statements=$status
    [ -z "$metrics" ] || statements="$statements; $metrics"
    if sample=$(ask "$statements" "$@" 2>>"$errors"); then
        {
            printf 'TS %s\n%s\n' "$now" "$sample"
            machine
            if [ $monitor = yes ] && [ $((n % monitor_every)) -eq 0 ]; then
                ask 'SHOW ENGINE INNODB STATUS' "$@" 2>>"$errors" | counters_alone
                printf 'END OF INNODB MONITOR OUTPUT\n'
            fi
        } >>"$samples" || fail "can't write to $samples"
        taken=$((taken + 1))
    else
        missed=$((missed + 1))
        [ $missed -lt 10 ] || fail "ten samples were missed; see $errors. What is there by now can be read"
    fi
    n=$((n + 1))
done
trap - INT TERM
note "samples: $taken, missed: $missed"

# Ages of the pages in the buffer pool: redo since each was modified last, counted in bins.
pages_by_age() {
    lsn=$(ask 'SHOW ENGINE INNODB STATUS' "$@" 2>>"$errors" | counters_alone | while read -r a b c lsn _; do
        [ "$a $b $c" != 'Log sequence number' ] || printf '%s\n' "$lsn"
    done)
    case $lsn in
        '' | *[!0-9]*) return 1 ;;
    esac
    age="GREATEST($lsn - CAST(NEWEST_MODIFICATION AS SIGNED), 0)"
    kind="CASE WHEN PAGE_TYPE IN ('INDEX', 'RTREE_INDEX', 'SDI_INDEX') THEN 1 WHEN PAGE_TYPE = 'UNDO_LOG' THEN 2 ELSE 3 END"
    bins=$(ask "SELECT CAST(CEIL(POW(2, bin / 8)) AS UNSIGNED), SUM(kind = 1), SUM(kind = 2), SUM(kind = 3) FROM
(SELECT FLOOR(8 * LOG2(GREATEST($age, 1))) + 1 AS bin, $kind AS kind FROM information_schema.INNODB_BUFFER_PAGE
WHERE PAGE_STATE = 'FILE_PAGE' AND NEWEST_MODIFICATION > 0) AS pages GROUP BY bin ORDER BY bin" "$@" 2>>"$errors") || return 1
    size=$(ask 'SELECT @@innodb_page_size' "$@" 2>>"$errors") || return 1
    total=0
    lines=
    while read -r upper index undo other; do
        [ -n "$upper" ] || continue
        total=$((total + index + undo + other))
        lines="$lines${lines:+,
}  [$upper, $index, $undo, $other]"
    done <<EOF
$bins
EOF
    printf '{"format":"innosim-page-ages","version":1,"lsn":%s,"lsn_is_known":true,"pages_of_size":{"%s":%s},' \
        "$lsn" "$size" "$total"
    printf '"unused":0,"newer":0,"left_out":{},"younger_than":[\n%s\n]}\n' "$lines"
}
if [ $buffer_pages = yes ]; then
    if pages_by_age "$@" >"$out/page-ages.json"; then
        note "page-ages.json: pages in the buffer pool that were modified there, by the redo since then"
    else
        rm -f "$out/page-ages.json"
        note "not there: ages of pages (it needs the privilege PROCESS)"
    fi
fi

[ -s "$errors" ] || rm -f "$errors"
[ $taken -ge 2 ] || fail "fewer than two samples; nothing can be read from $out"
printf 'In %s: %s samples of %s. Nothing in it is of any row or statement; look at it before you send it.\n' \
    "$out" "$taken" "$version"
