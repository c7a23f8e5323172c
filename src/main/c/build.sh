#!/bin/sh
# Called by the Maven build on Linux, with the JDK that runs Maven as JAVA_HOME:
#
#   build.sh shim ARCH   puts the shim into target/classes, where JNA finds it
#   build.sh check ARCH  runs the C tests, if there are any
#   build.sh faults ARCH builds what lets system calls fail in the Java tests
#
# ARCH is Java's os.arch. Without a compiler none does anything: the library works
# without the shim, only slower.
set -eu

job=$1
arch=$2
cd "$(dirname "$0")"

# The folder names are JNA's.
case $arch in
amd64) folder=linux-x86-64 ;;
aarch64) folder=linux-aarch64 ;;
*)
	echo "files2: no shim for $arch: building without the shim lane"
	exit 0
	;;
esac

if ! command -v cc >/dev/null || ! command -v make >/dev/null; then
	if [ "$job" = shim ]; then
		echo "files2: cc or make is missing:" \
			"building without the shim lane"
	fi
	exit 0
fi

case $job in
shim)
	# Relative, since make can't have a space in the name of a target.
	exec make -s OUT=../../../target/classes/$folder BUILD=../../../target/c
	;;
faults)
	[ "$arch" = amd64 ] || exit 0 # it knows no other processor's registers
	[ -f ../../test/c/Makefile ] || exit 0
	exec make -s -C ../../test/c faults-library BUILD=../../../target/c-test
	;;
check)
	[ -f ../../test/c/Makefile ] || exit 0
	# Some systems package the sanitizers apart from the compiler.
	if ! echo 'int main(void) { return 0; }' |
		cc -fsanitize=address,undefined -x c -o /dev/null - 2>/dev/null; then
		echo "files2: cc has no sanitizers: C tests not run"
		[ -z "${FILES2_CI-}" ] && exit 0
		exit 1
	fi
	exec make -s -C ../../test/c check BUILD=../../../target/c-test
	;;
*)
	echo "build.sh: unknown job: $job" >&2
	exit 2
	;;
esac
