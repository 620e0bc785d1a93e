// One sync by XTable's own ConversionController:
// java -cp "$XTABLE_CLASSPATH" Sync.java HUDI file:///path name part:VALUE [ICEBERG|DELTA|HUDI [property=value ...]]
// The properties are the target's, which the command line has no place for: xtable.delta.target.use_kernel=true.
// The format is HUDI, DELTA, DELTA_BY_KERNEL for a Delta table that Delta Kernel reads, PAIMON, or PARQUET for a folder of
// Parquet files. XTable's command line (RunSync) makes the same call; it is in a jar that no repository serves, and ends
// with 0 after a sync that failed. This ends with 1 then. FULL: a full sync, which the command line does not make. The shape of the call is the same in 0.2.0, 0.3.0 and 0.4.0.

import java.util.List;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.xtable.conversion.ConversionConfig;
import org.apache.xtable.conversion.ConversionController;
import org.apache.xtable.conversion.ConversionSourceProvider;
import org.apache.xtable.conversion.SourceTable;
import org.apache.xtable.conversion.TargetTable;
import org.apache.xtable.model.sync.SyncMode;

public class Sync {
  // What a JVM that has run many syncs has loaded, one after the other. Which of them a fresh one loads first decides
  // whether a clean, a rollback or a restore ends in "Recursive update" (apache/incubator-xtable #466).
  static final List<String> MODELS = List.of(
      "HoodieCleanPartitionMetadata",
      "HoodieRollbackPartitionMetadata",
      "HoodieInstantInfo",
      "HoodieRollbackMetadata",
      "HoodieRestoreMetadata",
      "HoodieSliceInfo",
      "HoodieClusteringGroup",
      "HoodieClusteringStrategy",
      "HoodieClusteringPlan",
      "HoodieRequestedReplaceMetadata",
      "HoodieCompactionPlan",
      "HoodieCompactionOperation");

  static void loadModels() {
    for (String model : MODELS) {
      try {
        Class.forName("org.apache.hudi.avro.model." + model);
      } catch (ClassNotFoundException another) {
        System.out.println("this release of Hudi has no " + model);
      }
    }
  }

  // By name: 0.2.0 and 0.3.0 have no source for folders of Parquet files, nor for Paimon tables.
  static ConversionSourceProvider<?> provider(String format) throws ReflectiveOperationException {
    String title = format.charAt(0) + format.substring(1).toLowerCase();
    String name = "org.apache.xtable." + format.toLowerCase() + "." + title + "ConversionSourceProvider";
    if (format.equals("DELTA_BY_KERNEL")) name = "org.apache.xtable.kernel.DeltaKernelConversionSourceProvider";
    return (ConversionSourceProvider<?>) Class.forName(name).getDeclaredConstructor().newInstance();
  }

  public static void main(String[] args) throws ReflectiveOperationException {
    if (System.getenv("WARM") != null) loadModels();
    String format = args[0].replace("_BY_KERNEL", ""), location = args[1], name = args[2], spec = args.length > 3 ? args[3] : "";
    Configuration conf = new Configuration();
    conf.set("parquet.avro.write-old-list-structure", "false"); // as in the defaults of XTable's bundle
    conf.set("spark.master", "local[2]");
    conf.set("spark.ui.enabled", "false");
    conf.set("spark.driver.bindAddress", "127.0.0.1");
    conf.set("spark.driver.host", "127.0.0.1");
    Properties properties = new Properties();
    if (!format.equals("DELTA") && !spec.isEmpty()) {
      properties.setProperty("xtable." + format.toLowerCase() + ".source.partition_field_spec_config", spec);
    }
    String data = format.equals("ICEBERG") ? location + "/data" : null; // tableDataPath, which XTable's README asks for
    SourceTable source = SourceTable.builder().name(name).basePath(location).dataPath(data).formatName(format)
        .additionalProperties(properties).build();
    Properties ofTarget = new Properties();
    for (int i = 5; i < args.length; i++) {
      String[] property = args[i].split("=", 2);
      ofTarget.setProperty(property[0], property[1]);
    }
    TargetTable target = TargetTable.builder().name(name).basePath(location)
        .formatName(args.length > 4 ? args[4] : "ICEBERG").additionalProperties(ofTarget).build();
    ConversionConfig config = ConversionConfig.builder().sourceTable(source).targetTables(List.of(target))
        .syncMode(System.getenv("FULL") != null ? SyncMode.FULL : SyncMode.INCREMENTAL).build();
    ConversionSourceProvider<?> provider = provider(args[0]);
    provider.init(conf);
    String result = new ConversionController(conf).sync(config, provider).toString();
    System.out.println(result);
    System.exit(result.contains("statusCode=SUCCESS") || result.equals("{}") ? 0 : 1);
  }
}
