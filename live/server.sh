# What the live checks share: a server of their own, the disk measured, loads recorded. Sourced by `check`, `skewed`,
# `recovery` and `regret`, which set here, dir, install, keep, dry_run, fio_seconds and threads, and innosim where they call it.

readonly PACKAGES=(mariadb-server-core mariadb-client-core sysbench fio)
readonly PROGRAMS=(mariadbd mariadb-install-db mariadb sysbench fio)
readonly SERIES=10.11
PATH=$PATH:/usr/sbin

server='' recorder='' clients='' made='' step='starting'
# A MySQL server program instead of Debian's MariaDB; the control group that caps the disk for server and fio; what server, fio and
# sysbench are started by (chrt, nice); depths of fio's random jobs; seconds that a load is recorded before and after; whether
# it begins on a clean pool.
mysqld='' cap_group='' priority=() depths=(1 4 16 64) lead=5 tail=10 clean=yes

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

refuse() {
    say "$*"
    exit 2
}

# Runs a command, or prints it.
run() {
    if [[ $dry_run == yes ]]; then
        printf '  %s\n' "${*@Q}"
    else
        "$@"
    fi
}

# A command behind the cap and at the priority, in the place of the shell that calls it: use it in the background or in ( ).
capped() {
    [[ -z $cap_group ]] || echo "$BASHPID" >"$cap_group/cgroup.procs"
    exec "${priority[@]}" "$@"
}

# Debian's packages, unless everything is there.
packages() {
    local program missing=() needed=("${PROGRAMS[@]}")
    # Of a MySQL from elsewhere, the client and the programs that load it.
    [[ -z $mysqld ]] || needed=("$mysqld" mariadb sysbench fio)
    for program in "${needed[@]}"; do
        command -v "$program" >/dev/null || missing+=("$program")
    done
    if [[ ${#missing[@]} -gt 0 ]]; then
        [[ $install == yes ]] || refuse "not installed: ${missing[*]} (packages ${PACKAGES[*]})"
        command -v apt-get >/dev/null || refuse "not installed: ${missing[*]}; there is no apt-get to bring them"
        [[ $dry_run == yes || $(id -u) -eq 0 ]] || refuse "not installed: ${missing[*]}; run as root: apt-get install ${PACKAGES[*]}"
        # --no-remove: a server of another kind that is installed here stays.
        run apt-get update
        run env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends --no-remove "${PACKAGES[@]}"
    fi
    if [[ $dry_run == no && -z $mysqld ]]; then
        local version
        version=$(mariadbd --no-defaults --version)
        [[ $version == *" $SERIES."* ]] || refuse "mariadbd is not of the $SERIES series, which the model stands for: $version"
    fi
}

find_innosim() {
    if [[ -z $innosim ]]; then
        innosim=$(command -v innosim || echo "$here/../target/release/innosim")
    fi
    [[ $dry_run == yes || -x $innosim ]] || refuse "$innosim is not there; build it with: cargo build --release"
}

folder() {
    if [[ $dry_run == yes ]]; then
        dir=${dir:-$PWD/innosim-live.XXXXXX}
        return
    fi
    if [[ -z $dir ]]; then
        dir=$(mktemp -d "$PWD/innosim-live.XXXXXX")
    elif [[ -e $dir ]]; then
        [[ -d $dir && -z $(ls -A "$dir") ]] || refuse "$dir is there and not empty; give a new folder"
    else
        mkdir -p "$dir"
    fi
    dir=$(cd "$dir" && pwd)
    made=$dir
    # The path of a socket has 107 bytes at most.
    [[ ${#dir} -le 90 ]] || refuse "the path $dir is too long for a socket"
}

# The device, on the same file system, as docs/devices.md asks for it.
measure_device() {
    step='measuring the disk with fio'
    say "$step, $((2 * ${#depths[@]} + 4)) jobs of $fio_seconds s"
    run mkdir -p "$dir/fio"
    local mode depth
    for mode in randread randwrite; do
        for depth in "${depths[@]}"; do
            fio_job "$mode-$depth" --rw="$mode" --bs=16k --direct=1 --ioengine=libaio --iodepth="$depth"
        done
    done
    fio_job seq1 --rw=write --bs=1M --direct=1 --ioengine=libaio --iodepth=1
    fio_job seq4 --rw=write --bs=1M --direct=1 --ioengine=libaio --iodepth=4
    fio_job small --rw=write --bs=4k --ioengine=psync --direct=1
    fio_job redo --rw=write --bs=4k --ioengine=psync --fdatasync=1
    run rm -f "$dir/fio.dat"
}

fio_job() {
    local name=$1
    shift
    local job=(fio --name="$name" --output="$dir/fio/$name.json" --output-format=json --filename="$dir/fio.dat" --size=1G --time_based
        --runtime="$fio_seconds" "$@")
    if [[ $dry_run == yes ]]; then run "${job[@]}"; else (capped "${job[@]}"); fi
}

# Makes a data folder.
install_server() {
    step='making a data folder'
    local root_user=()
    [[ $(id -u) -ne 0 ]] || root_user=(--user=root)
    if [[ -n $mysqld ]]; then
        run "$mysqld" --no-defaults "${root_user[@]}" --initialize-insecure --datadir="$dir/data" >"$(log install.log)" 2>&1
        return
    fi
    run mariadb-install-db --no-defaults "${root_user[@]}" --auth-root-authentication-method=normal --skip-test-db \
        --datadir="$dir/data" >"$(log install.log)" 2>&1
}

# Starts a server on that folder: start_server [OPTION of the server]...
start_server() {
    step='starting a server'
    say "$step of its own in $dir"
    local root_user=()
    [[ $(id -u) -ne 0 ]] || root_user=(--user=root)
    local options=(--no-defaults "${root_user[@]}" --datadir="$dir/data" --socket="$dir/server.sock" --pid-file="$dir/server.pid"
        --skip-networking --skip-log-bin --innodb-buffer-pool-size=1G --innodb-io-capacity=1000
        --innodb-io-capacity-max=2000 --innodb-max-dirty-pages-pct-lwm=10 --innodb-flush-method=O_DIRECT
        --innodb-adaptive-hash-index=OFF --innodb-flush-neighbors=0 --innodb-monitor-enable=all --innodb-flush-log-at-trx-commit=1)
    if [[ -n $mysqld ]]; then
        options+=(--innodb-redo-log-capacity=128M --mysqlx=OFF)
    else
        options+=(--innodb-log-file-size=64M)
    fi
    options+=("$@")
    local program=${mysqld:-mariadbd}
    if [[ $dry_run == yes ]]; then
        run "$program" "${options[@]}"
        return
    fi
    capped "$program" "${options[@]}" >>"$dir/server.log" 2>&1 &
    server=$!
    local until=$((SECONDS + 120))
    while ((SECONDS < until)); do
        kill -0 "$server" 2>/dev/null || fail_with_log "the server ended at once"
        if [[ -S $dir/server.sock ]] && ask 'SELECT 1' >/dev/null 2>&1; then
            own_server
            return
        fi
        sleep "${answer_every:-1}"
    done
    fail_with_log "the server did not answer within two minutes"
}

# Where the output of a step goes; nowhere in a dry run, whose commands are the output.
log() {
    if [[ $dry_run == yes ]]; then echo /dev/stdout; else echo "$dir/$1"; fi
}

fail_with_log() {
    say "$1; the end of its log:"
    tail -n 20 "$dir/server.log" >&2
    exit 1
}

ask() {
    mariadb --no-defaults --socket="$dir/server.sock" --user=root --batch --skip-column-names --execute="$1"
}

# Refuses to go on if the server on the socket is not the one that was started here.
own_server() {
    [[ $dry_run == yes ]] && return
    local answer pid
    answer=$(ask 'SELECT @@datadir') || fail_with_log "the server does not answer"
    [[ $answer == "$dir/data/" ]] || refuse "the server on $dir/server.sock has its data in $answer: it was not started here"
    pid=$(<"$dir/server.pid")
    [[ $pid == "$server" ]] || refuse "the server on $dir/server.sock is process $pid, not $server: it was not started here"
}

# Writes all dirty pages, so that each load begins on a clean pool. Marks just above 0 do it, not 0: without a low-water mark an idle
# page cleaner does not flush. Where the server has built indexes and not flushed as an idle one since, dirty pages don't wake it all the
# same, but only a tenth of the pool; the recording tells (innodb_activity_count).
flush_all() {
    if [[ $dry_run == yes ]]; then
        run mariadb --execute='SET GLOBAL innodb_max_dirty_pages_pct = 0.001'
        return
    fi
    local old lwm dirty waited
    old=$(ask 'SELECT @@GLOBAL.innodb_max_dirty_pages_pct')
    lwm=$(ask 'SELECT @@GLOBAL.innodb_max_dirty_pages_pct_lwm')
    ask 'SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0.001; SET GLOBAL innodb_max_dirty_pages_pct = 0.001'
    for ((waited = 0; waited < 300; waited++)); do
        dirty=$(ask "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'" | cut -f2)
        ((dirty <= 40)) && break
        sleep 1
    done
    ask "SET GLOBAL innodb_max_dirty_pages_pct = $old; SET GLOBAL innodb_max_dirty_pages_pct_lwm = $lwm"
}

# Puts the time before each line.
stamp() {
    local line
    while IFS= read -r line; do
        printf '%s %s\n' "$EPOCHREALTIME" "$line"
    done
}

stop_server() {
    if [[ -n $clients && -s $clients ]]; then
        xargs kill <"$clients" 2>/dev/null || true
        rm -f "$clients"
        clients=''
    fi
    if [[ -n $recorder ]]; then
        kill "$recorder" 2>/dev/null || true
        wait "$recorder" 2>/dev/null || true
        recorder=''
    fi
    if [[ -n $server ]]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
        server=''
    fi
}

# A command of sysbench against this server, quoted as a shell reads it: sysbench_line SCRIPT OPTION...
sysbench_line() {
    local command=(sysbench "$1" --db-driver=mysql --mysql-user=root "--mysql-socket=$dir/server.sock" "${@:2}")
    printf '%s' "${command[*]@Q}"
}

# Makes a database and fills it: prepare NAME TABLES LINE, the line as of sysbench_line.
prepare() {
    local name=$1 tables=$2 command
    declare -a command="($3)"
    step='filling the tables'
    say "$step of $name"
    own_server
    if [[ $dry_run == yes ]]; then
        run mariadb --execute="CREATE DATABASE $name"
        run "${command[@]}"
        return
    fi
    ask "CREATE DATABASE $name"
    "${command[@]}" >>"$dir/prepare.log"
    warm "$name" "$tables"
}

# Statistics, from which the number of pages follows; and all pages into memory: warm NAME TABLES.
warm() {
    local i
    for ((i = 1; i <= $2; i++)); do
        ask "USE $1; ANALYZE TABLE sbtest$i; SELECT SUM(LENGTH(c)), SUM(k) FROM sbtest$i" >/dev/null
    done
}

# Runs lines of sysbench beside each other and records the server, from `lead` seconds before to `tail` after: load NAME LINE...
load() {
    local name=$1 out="$dir/recordings/$1" command line i log running=()
    shift
    step="the load $name"
    say "$step, $seconds s"
    own_server
    [[ $clean == no ]] || flush_all
    local record=("$here/record" --socket "$dir/server.sock" --out "$out" --seconds $((lead + seconds + tail)))
    if [[ $dry_run == yes ]]; then
        run "${record[@]}"
        for line in "$@"; do
            declare -a command="($line)"
            run "${command[@]}"
        done
        return
    fi
    mkdir -p "$out"
    clients=$out/clients.pid
    : >"$clients"
    "${record[@]}" --server-pid "$server" &
    recorder=$!
    sleep "$lead"
    i=0
    for line in "$@"; do
        declare -a command="($line)"
        log=$out/sysbench${i/#0/}.log
        i=$((i + 1))
        printf '# %s\n' "${command[*]}" >"$log"
        # The shell that becomes sysbench leaves its number for the recorder first.
        OUT=$clients bash -c 'echo $$ >>"$OUT"; exec "$@"' sh "${priority[@]}" "${command[@]}" 2>&1 | stamp >>"$log" &
        running+=($!)
    done
    # In the background, as only a wait can be interrupted at once.
    for line in "${running[@]}"; do
        wait "$line" || fail_with_log "sysbench failed"
    done
    wait "$recorder" || fail_with_log "the recorder failed"
    recorder=''
    rm -f "$clients"
    clients=''
    for log in "$out"/sysbench*.log; do
        grep -q '^[0-9.]* \[ ' "$log" || { tail -n 5 "$log" >&2; say "sysbench reported nothing"; exit 1; }
    done
    cp -r "$dir/fio" "$out/fio"
}

# Always: stops what was started, removes what was made; the recordings stay.
cleanup() {
    local code=$?
    trap - EXIT
    stop_server
    [[ -z $cap_group ]] || rmdir "$cap_group" 2>/dev/null || true
    if [[ -n $made ]]; then
        rm -f "$made/fio.dat"
        [[ $keep == yes ]] || rm -rf "$made/data" "$made/server.sock" "$made/server.pid"
        if ((code > 0)); then
            say "stopped at: $step (exit code $code); logs are in $made"
        fi
    fi
    exit "$code"
}

