#!/bin/sh
# A sweep on Slurm: task i of an array computes shard i of n, and the merge starts when all have ended well.
#   sh slurm.sh SCENARIO OUT N                  OUT is a folder that all nodes share; the same command again goes on
#   sbatch --array=3 slurm.sh SCENARIO OUT N    task 3 alone
# A task that is preempted is queued again (--requeue) and goes on from the chunks that are done.
#SBATCH --job-name=featherbed
#SBATCH --array=1-4
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=1G
#SBATCH --time=08:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
scenario=$1 out=$2 n=$3 # not SLURM_ARRAY_TASK_COUNT: that is 1 when one task is submitted again
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  shard=$out/shards/$SLURM_ARRAY_TASK_ID
  rm -f "$shard/.featherbed.lock" # left by a node that died; Slurm starts no task twice
  exec featherbed sweep "$scenario" --shard "$SLURM_ARRAY_TASK_ID/$n" --threads "$SLURM_CPUS_PER_TASK" --resume --quiet --out "$shard"
fi
job=$(sbatch --parsable --array="1-$n" "$0" "$scenario" "$out" "$n")
sbatch --dependency="afterok:${job%;*}" --kill-on-invalid-dep=yes --wrap "exec featherbed merge '$out'/shards/* --out '$out'"
